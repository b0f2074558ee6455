/** The tables of uploads that go on after a broken connection. */

export interface ResumableTables {
  /** Uploads that go on after a broken connection. */
  resumable_uploads: {
    id: string;
    organization_id: string;
    /** The key that the recording gets. */
    key: string;
    /** The Upload-Metadata header, as it was sent. */
    metadata: string;
    /** Bytes of the whole recording. */
    length: number;
    /** Bytes that are stored; equal to `length` only once the recording is under its key. */
    received: number;
    expires_at: number;
    /** The time until which one process joins the parts. */
    joining_until: number | null;
  };
  /** What has arrived of an upload; each part is an object of the audio store. */
  resumable_parts: {
    upload_id: string;
    /** The position of its first byte in the recording. */
    start: number;
    /** The key of the object. */
    key: string;
  };
}
