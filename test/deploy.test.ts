/** The files in deploy/ against the program: metrics that exist, pods without privileges, tests that are named. */
import { expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parser } from '@prometheus-io/lezer-promql';
import { load, loadAll } from 'js-yaml';
import { readConfig } from '../server/config/config.ts';
import { createMetrics } from '../server/base/metrics.ts';
import { root } from './support/checkout.ts';
import type { Any } from './support/servers/client.ts';

const text = (name: string): string => readFileSync(join(root, name), 'utf8');

/** Each metric with its labels, after a little of everything has happened. */
async function exposed(): Promise<Map<string, Set<string>>> {
  const metrics = createMetrics(async () => new Map([['queued', 1]]), {
    captioner_queue_age_seconds: () => 1,
    captioner_audio_store_up: () => 1,
    captioner_quota_used_ratio: () => 1,
    captioner_disk_free_bytes: () => 1,
    captioner_disk_reserve_bytes: () => 1,
    captioner_wal_bytes: () => 1,
  });
  metrics.runFinished('failed', { total: 1 }, 'internal');
  metrics.providerFailed('deepgram', 'provider_timeout');
  metrics.answered('GET', '/docs', 200, 1);
  const found = new Map<string, Set<string>>();
  for (const line of (await metrics.expose()).split('\n')) {
    const [, name, labels = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? [];
    if (name === undefined) continue;
    const own = found.get(name) ?? new Set(['instance', 'job']);
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) own.add(label);
    found.set(name, own);
  }
  return found;
}

test('the dashboard and the alerts use only metrics and labels that exist', async () => {
  const metrics = await exposed();
  const dashboard = JSON.parse(text('deploy/grafana-dashboard.json'));
  const { groups }: Any = load(text('deploy/alerts.yaml'));
  const rules = groups.flatMap((group: Any) => group.rules);
  const expressions: string[] = [
    ...dashboard.panels.flatMap(({ targets }: Any) => targets.map(({ expr }: Any) => expr)),
    ...rules.map(({ expr }: Any) => expr),
  ];
  expect(expressions.length).toBeGreaterThan(25);
  for (const expression of expressions) {
    const used = [...expression.matchAll(/\b(captioner_\w+|process_\w+)(?:\{([^}]*)\})?/g)];
    expect([expression, used.length > 0 || expression.startsWith('up{')]).toEqual([
      expression,
      true,
    ]);
    for (const [, name = '', matchers = ''] of used) {
      expect([...metrics.keys()]).toContain(name);
      for (const [, label = ''] of matchers.matchAll(/(\w+)\s*[=!]/g)) {
        expect([name, [...(metrics.get(name) ?? [])]]).toEqual([
          name,
          expect.arrayContaining([label]),
        ]);
      }
    }
    for (const [, labels = ''] of expression.matchAll(/\bby \(([^)]*)\)/g)) {
      const known = used.flatMap(([, name = '']) => [...(metrics.get(name) ?? [])]);
      expect(known).toEqual(expect.arrayContaining(labels.split(/,\s*/)));
    }
    const faults: number[] = [];
    parser.parse(expression).iterate({
      enter: ({ type, from }) => void (type.isError && faults.push(from)),
    });
    expect([expression, faults]).toEqual([expression, []]);
  }
  expect(new Set(rules.map(({ alert }: Any) => alert)).size).toBe(rules.length);
});

/** Whether labels satisfy the matchers of a selector. */
const matches = (labels: Record<string, string>, matchers: string): boolean =>
  [...matchers.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].every(
    ([, name = '', sign = '', value = '']) => {
      const isSame = new RegExp(`^(?:${sign.includes('~') ? value : RegExp.escape(value)})$`).test(
        labels[name] ?? '',
      );
      return isSame !== sign.startsWith('!');
    },
  );

test('what an alert counts is there from the start, so that the first time is an increase', async () => {
  const fresh = createMetrics(async () => new Map(), {}, ['deepgram', 'edge']);
  const series = [...(await fresh.expose()).matchAll(/^(\w+?)(?:\{(.*)\})? (\S+)$/gm)].map(
    ([, name, labels = '', value]) => {
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key, text]);
      return { name, value, labels: Object.fromEntries(pairs) };
    },
  );
  const { groups }: Any = load(text('deploy/alerts.yaml'));
  const counted = groups
    .flatMap((group: Any) => group.rules)
    .flatMap(({ expr }: Any) => [...expr.matchAll(/increase\((\w+)(?:\{([^}]*)\})?\[/g)]);
  expect(counted.length).toBeGreaterThan(3);
  for (const [selector, name, matchers = ''] of counted) {
    const found = series.filter((each) => each.name === name && matches(each.labels, matchers));
    expect([selector, [...new Set(found.map(({ value }) => value))]]).toEqual([selector, ['0']]);
  }
});

test('pods have no privileges, and the settings are those that the program reads', () => {
  const objects: Any[] = ['captioner', 'migrate'].flatMap((name) =>
    loadAll(text(`deploy/kubernetes/${name}.yaml`)),
  );
  const pods = objects.filter(({ spec }) => spec?.template);
  expect(pods.map(({ metadata }) => metadata.name)).toEqual([
    'captioner-web',
    'captioner-worker',
    'captioner-migrate',
  ]);
  const { data } = objects.find(({ kind }) => kind === 'ConfigMap');
  const secret = {
    DATABASE_URL: 'postgres://captioner@db/captioner',
    S3_ACCESS_KEY_ID: 'a',
    S3_SECRET_ACCESS_KEY: 'b',
  };
  for (const { spec } of pods) {
    const pod = spec.template.spec;
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10_001 });
    expect(pod.automountServiceAccountToken).toBe(false);
    for (const container of pod.containers) {
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.image).toMatch(/@sha256:[0-9a-f]{64}$/);
      expect(container.resources.limits.memory).toMatch(/^\d+[GM]i$/);
      const own = (container.env ?? []).map(({ name, value }: Any) => [name, value]);
      const config = readConfig({ ...data, ...secret, ...Object.fromEntries(own) });
      expect(config.metricsPort).toBe(9464);
    }
  }
});

test('each line of asvs.md names a test, and the test exists', () => {
  const asvs = text('docs/asvs.md');
  const [met = ''] = asvs.split('## Not met');
  const lines = met.split('\n').filter((line) => /^\| \d/.test(line));
  expect(lines.length).toBeGreaterThan(40);
  expect(lines.filter((line) => !line.includes('`test/'))).toEqual([]);
  const named = [...asvs.matchAll(/`(test\/[\w./-]+)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});
