import { expect, test } from 'bun:test';
import { readConfig } from '../../server/config.ts';

test('a bucket has its keys, and optionally a prefix and an endpoint', () => {
  const keys = { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' };
  const common = { kind: 's3', bucket: 'talks', accessKeyId: 'id', secretAccessKey: 'secret' };
  expect(readConfig({ ...keys, AUDIO_STORE_URL: 's3://talks' }).audioStore).toEqual({
    ...common,
    prefix: '',
    region: 'us-east-1',
    endpoint: 'https://s3.us-east-1.amazonaws.com',
  } as never);
  const own = { S3_ENDPOINT: 'http://127.0.0.1:9000/', S3_REGION: 'here' };
  expect(readConfig({ ...keys, ...own, AUDIO_STORE_URL: 's3://talks/a/b/' }).audioStore).toEqual({
    ...common,
    prefix: 'a/b/',
    region: 'here',
    endpoint: 'http://127.0.0.1:9000',
  } as never);
});

test('the region of a bucket is a name, because it is a part of an address', () => {
  const keys = { S3_ACCESS_KEY_ID: 'id', S3_SECRET_ACCESS_KEY: 'secret' };
  const read = (S3_REGION: string) =>
    readConfig({ ...keys, S3_REGION, AUDIO_STORE_URL: 's3://talks' }).audioStore;
  for (const region of ['auto', 'eu-central-1', 'fr_par', 'a'.repeat(64)]) {
    expect(read(region)).toMatchObject({ region });
  }
  for (const region of ['eu.central', 'a/b', 'x@evil.example', 'a b', 'é', 'a'.repeat(65)]) {
    expect(() => read(region)).toThrow(
      'S3_REGION must be the name of a region, such as eu-central-1',
    );
  }
});

test('a web or worker process needs a shared database', () => {
  const DATABASE_URL = 'postgres://captioner:secret@db.example:5432/captioner';
  expect(readConfig({ DATABASE_URL, ROLE: 'worker' })).toMatchObject({
    role: 'worker',
    databaseUrl: DATABASE_URL,
  });
});
