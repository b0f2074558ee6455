/** The tables of uploads that can continue after a broken connection. */

export interface ResumableTables {
  /** Uploads that can continue after a broken connection. */
  resumable_uploads: {
    id: string;
    organization_id: string;
    /** The key that the recording will have. */
    key: string;
    /** The Upload-Metadata header as the client sent it. */
    metadata: string;
    /** The bytes of the whole recording. */
    length: number;
    /** The bytes stored so far; equal to `length` only once the recording is stored under its key. */
    received: number;
    expires_at: number;
    /** The time until which one process has the lease for joining the parts. */
    joining_until: number | null;
  };
  /** The parts of uploads that have arrived, each of them an object of the audio store. */
  resumable_parts: {
    upload_id: string;
    /** The position of its first byte in the recording. */
    start: number;
    /** The key of the object. */
    key: string;
  };
}
