/**
 * The names and terms of a simulated workspace with their mishears, and the sentences around them.
 * Written for this simulation.
 */

/** A term with its mishears, most common first, and rarer words that occur near it. */
export interface YearTerm {
  canonical: string;
  mishears: string[];
  near: string[];
}

const LINES = `
Priya Raman: pre a ramen, prior raymond; onboarding, tenants
Oisín Byrne: oh sheen burn, ocean burn; migrations, schema
Thandiwe Nkosi: tandy way in cosy, thandy weigh nkosee; roadmap, pilots
Jürgen Völker: your gun folker, jurgen fulker; firmware, telemetry
Xochitl Reyes: so cheetle rays, sochi tell reyes; compliance, audits
Siobhan Kealy: shiv on keely, shavon kelly; payroll, invoices
Wojciech Zych: voy check zick, vojtek zich; compilers, linkers
Nguyen Thi Lan: win t lan, newen tea lahn; localisation, glyphs
Aoife Brannigan: eve a branigan, eefa brannigan; hiring, interviews
Bjørk Halvorsen: bee york halverson, byork halvorson; fleets, routing
Chidi Okonkwo: cheedy oh conquo, chidy okonko; ledgers, settlement
Marisol Etxeberria: mary sol etch a berry a, marisole echeverria; storefront, checkout
Keycloak: key cloke, key cloak; realm, federation
Kubectl: cube cuddle, cube control; manifests, namespaces
Kyverno: kai verno, kivverno; admission, namespaces
Velero: valero, the larrow; snapshots, restores
Istio: east e o, is tio; sidecar, ingress
Linkerd: linker d, link a dee; sidecar, ingress
Cilium: silly um, celium; ebpf, ingress
Prometheus: pro meteors, promethius; scraping, alerting
Thanos: than us, tannos; scraping, retention
Grafana: gravana, graph anna; dashboards, alerting
Loki: low key, lokey; dashboards, retention
Jaeger: yay ger, jagger; tracing, spans
Tempo: temp oh, tempoe; tracing, spans
Debezium: debbie zium, the bezium; replication, connectors
Kafka: cafca, calf car; partitions, brokers
Redpanda: red panderer, redpander; partitions, brokers
Flink: flinc, f link; windowing, watermarks
Iceberg: ice burg, icebirk; snapshots, catalogs
Trino: tree no, treeno; catalogs, queries
ClickHouse: click how's, clickhaus; queries, columnar
DuckDB: duck debbie, duct db; queries, columnar
pgvector: pg vecter, peachy vector; embeddings, recall
Qdrant: quadrant, cue drant; embeddings, recall
Weaviate: we v eight, weeviate; embeddings, recall
LlamaIndex: lama index, llama in decks; retrieval, chunking
LangGraph: lang graf, land graph; retrieval, agents
vLLM: v l l m, villem; batching, throughput
SCIM: skim, skimm; provisioning, directory
SAML: sam all, samel; federation, directory
OIDC: o i d c, oydc; federation, tokens
FIDO2: fido too, feedo two; passkeys, tokens
WebAuthn: web auth n, web author; passkeys, tokens
AuthZEN: auth zen, off zen; policies, decisions
OpenFGA: open f g a, open effigy; policies, relations
Cedar: cedah, seeder; policies, decisions
Zanzibar: zanzi bar, sansibar; policies, relations
SPIFFE: spiffy, spiffee; workloads, attestation
Sigstore: sig store, six door; attestation, provenance
Cosign: co sign, kosine; attestation, provenance
SBOM: s bomb, es bom; provenance, licences
Wiz: whizz, wis; exposure, posture
Snyk: sneak, snick; exposure, licences
Terraform: terror form, terra forme; modules, drift
OpenTofu: open toe fu, open tofoo; modules, drift
Pulumi: pull you me, poolumi; modules, drift
Ansible: and sibyl, ansibel; playbooks, inventory
Nix: nicks, nyx; derivations, flakes
Bazel: basil, bay zel; derivations, caching
Gradle: grado, cradle; caching, plugins
Vite: veet, vight; bundling, plugins
Astro: astrow, as trow; bundling, islands
SvelteKit: svelte kit, swelt kit; routing, hydration
Qwik: quick, kwick; hydration, islands
Hono: oh no, honno; middleware, routing
Elysia: a lithia, elisia; middleware, routing
Drizzle: drissel, drizz all; schema, migrations
Kysely: kai sealy, kissely; schema, migrations
Temporal: temperal, tempo rule; workflows, retries
Inngest: ingest, in guest; workflows, retries
Dagster: dag stir, dagstar; pipelines, assets
Airbyte: air bite, airbight; connectors, pipelines
Fivetran: five tran, thrive tran; connectors, pipelines
dbt: d b t, dee beaty; lineage, models
Looker: lookah, lucre; lineage, dashboards
Metabase: meta base, metter base; dashboards, queries
PostHog: post hog, post hawk; funnels, cohorts
Amplitude: ample attitude, amplitud; funnels, cohorts
Segment: segmint, sec meant; cohorts, tracking
RudderStack: rudder stack, rather stack; tracking, cohorts
Statsig: stats ig, stat sick; rollouts, experiments
LaunchDarkly: launch darkley, lunch darkly; rollouts, experiments
Unleash: unleesh, on leash; rollouts, toggles
Stripe Radar: stripe raider, strype radar; chargebacks, disputes
Adyen: add yen, aiden; chargebacks, settlement
Plaid: played, plad; ledgers, balances
Mollie: molly, mawley; settlement, disputes
Zuora: zoo aura, swora; invoices, renewals
Chargebee: charge bee, chargeby; invoices, renewals
Avalara: ava lara, have a larer; invoices, exemptions
Workato: work otto, workahto; connectors, recipes
Tray: trey, trae; connectors, recipes
n8n: n eight n, nateon; connectors, recipes
Zendesk: zen desk, sendesk; tickets, macros
Intercom: inter calm, interkom; tickets, macros
Front: frunt, from t; tickets, inbox
Figma: fig ma, pigma; prototypes, components
Storybook: story book, storey book; components, snapshots
Tokens Studio: token studio, tokens stew dio; components, palettes
Zeroheight: zero height, zero hate; palettes, components
Maestro: my strow, mice tro; simulators, flows
Detox: de tox, ditox; simulators, flows
Playwright: play right, playwrite; fixtures, locators
Vitest: v test, vee test; fixtures, mocks
Pact: packed, pacht; contracts, providers
Schemathesis: schema thesis, skimathesis; contracts, fuzzing
Buf: buff, boof; protobuf, contracts
tRPC: t r p c, tee arpy see; routers, contracts
Hasura: has sura, hazura; resolvers, permissions
Apollo: a polo, appollo; resolvers, caching
Relay: re lay, reelay; resolvers, fragments
Turso: terso, tour so; replicas, edge
Neon: knee on, neeon; replicas, branching
PlanetScale: planet scale, plan it scale; replicas, branching
Vitess: vi tess, vytes; replicas, sharding
CockroachDB: cockroach debbie, cock roach db; replicas, sharding
YugabyteDB: you go bite db, yuga bite debbie; replicas, sharding
Fastly: fast lee, vastly; purging, edge
Deno Deploy: dino deploy, denno deploy; edge, isolates
`;

/** The terms. */
export const TERMS: YearTerm[] = LINES.trim()
  .split('\n')
  .map((line) => {
    const [canonical = '', rest = ''] = line.split(/: (.*)/);
    const [mishears = '', near = ''] = rest.split('; ');
    return { canonical, mishears: mishears.split(', '), near: near.split(', ') };
  });

/** Sentences with and without a place for a term. */
export const SENTENCES = {
  with: `so the next thing was to look at … and see how it fits
we talked about … last week and decided to go on
what I like about … is that it was there from the start
then somebody asked whether … could do the same
and that is where … comes in for most of us
there is a long story about … that I will not tell today
if you remember … from the last time, it has changed a lot
we moved everything to … in the spring
the team around … did a great job here
and of course … was part of the plan`.split('\n'),
  /** Sentences whose ordinary words are mishears of a term elsewhere. */
  decoys: `it was played in front of everybody and the quick answer was no.
I would sneak out early, buy a basil plant and skim the paper on the train.
the buff on the counter had packed everything but his nicks and a spiffy hat.
oh no, that was not what we meant, it was a low key thing.`.split('\n'),
  plain: `and I think that was the right thing to do at the time.
we had a lot of people in the room and most of them had never seen it before.
it took us about three months until the first version was good enough.
you can see the numbers on the left and what they mean on the right.
nobody wanted to change the way they had always worked.
the first time we tried it, nothing went the way we had hoped.
so we went back and asked what people needed in the first place.
there is one more point that I want to make before we go on.
if the data is there, then the rest is easy to build.
we were lucky that the customers were patient with us.
and now we can do in a day what took us a week.`.split('\n'),
};
