/** Reads the settings of traces. */
import {
  ConfigError,
  type Environment,
  choiceSetting,
  integerSetting,
  textSetting,
} from './environment.ts';

const SAMPLERS = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const;

export interface Tracing {
  sampler: (typeof SAMPLERS)[number];
  /** The share of traces for a ratio sampler, 0..1. */
  ratio: number;
  /** The time for which spans are collected before they are sent, in milliseconds. */
  delayMs: number;
}

/** The tracing configuration; null if no endpoint is set, or tracing is switched off. */
export function tracingSettings(env: Environment): Tracing | null {
  const isOff =
    textSetting(env, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true' ||
    textSetting(env, 'OTEL_TRACES_EXPORTER') === 'none';
  const endpoint =
    textSetting(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ??
    textSetting(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  if (isOff || endpoint === null) return null;
  const sampler = choiceSetting(env, 'OTEL_TRACES_SAMPLER', SAMPLERS, 'parentbased_always_on');
  const ratio = Number(textSetting(env, 'OTEL_TRACES_SAMPLER_ARG') ?? 1);
  if (!(ratio >= 0 && ratio <= 1)) {
    throw new ConfigError('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  }
  return {
    sampler,
    ratio,
    delayMs: integerSetting(env, 'OTEL_BSP_SCHEDULE_DELAY', 5000, 0, 3_600_000),
  };
}
