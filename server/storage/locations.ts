/** The configured stores: the database and the recordings. */
import { join, resolve } from 'node:path';
import { ConfigError, type Environment, addressSetting, textSetting } from '../base/environment.ts';

/** The store of recordings. */
export type AudioStoreLocation = { kind: 'disk'; folder: string } | S3Bucket;

export interface S3Bucket {
  kind: 's3';
  bucket: string;
  /** The prefix of every object's name: empty, or with a slash at its end. */
  prefix: string;
  /** Without a trailing slash. */
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** Whether a database address is PostgreSQL's; otherwise it is the path of a SQLite file. */
export const isPostgres = (url: string): boolean => /^postgres(ql)?:/.test(url);

/** AUDIO_STORE_URL: a folder, or `s3://bucket` with the settings in S3_ENDPOINT and others. */
export function audioStore(env: Environment, dataDir: string): AudioStoreLocation {
  const value = textSetting(env, 'AUDIO_STORE_URL');
  if (value === null) return { kind: 'disk', folder: join(dataDir, 'audio') };
  if (!value.startsWith('s3:')) {
    return { kind: 'disk', folder: resolve(value.replace(/^file:(\/\/)?/, '')) };
  }
  const [, bucket, path = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(\/.*)?$/.exec(value) ?? [];
  if (bucket === undefined) {
    throw new ConfigError(
      'AUDIO_STORE_URL must be a folder, or like s3://bucket or s3://bucket/prefix',
    );
  }
  const accessKeyId = textSetting(env, 'S3_ACCESS_KEY_ID');
  const secretAccessKey = textSetting(env, 'S3_SECRET_ACCESS_KEY');
  if (!accessKeyId || !secretAccessKey) {
    throw new ConfigError('AUDIO_STORE_URL=s3://… needs S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY');
  }
  const region = textSetting(env, 'S3_REGION') ?? 'us-east-1';
  // The region is a part of the host name and of every signature.
  if (!/^[\w-]{1,64}$/.test(region)) {
    throw new ConfigError('S3_REGION must be the name of a region, such as eu-central-1');
  }
  const prefix = path.replace(/^\/+|(?<!\/)\/+$/g, '');
  return {
    kind: 's3',
    bucket,
    prefix: prefix && `${prefix}/`,
    endpoint:
      addressSetting(env, 'S3_ENDPOINT', 'https://s3.eu-central-1.amazonaws.com') ||
      `https://s3.${region}.amazonaws.com`,
    region,
    accessKeyId,
    secretAccessKey,
  };
}
