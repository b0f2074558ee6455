/**
 * Uploads that timed out but may still arrive, since the S3 client cannot end a request: one that arrives after its
 * recording was deleted is deleted too.
 */

/** An upload that is followed. */
class LateUpload {
  isDeleted = false;
}

interface LateUploads {
  /** Follows an upload that timed out until it arrives or fails. */
  follow(name: string, upload: Promise<{ etag: string }>): void;
  /** Records that the object was deleted, so that earlier uploads that arrive late are deleted too. */
  deleted(name: string): void;
  /** Records that the object is uploaded again, so that it is no longer deleted. */
  renewed(name: string): void;
  /** The number of uploads that are followed. */
  count(): number;
}

/**
 * Keeps the uploads of one store.
 * @param remove deletes an object if it still has this entity tag
 */
export function createLateUploads(
  remove: (name: string, etag: string) => Promise<unknown>,
): LateUploads {
  const names = new Map<LateUpload, string>();
  const mark = (name: string, isDeleted: boolean): void => {
    for (const [upload, own] of names) if (own === name) upload.isDeleted = isDeleted;
  };
  return {
    follow(name, arriving) {
      const upload = new LateUpload();
      names.set(upload, name);
      void (async () => {
        try {
          const { etag } = await arriving;
          if (upload.isDeleted) await remove(name, etag);
        } catch {
          // The upload failed, which was already reported; or it could not be deleted, and expires later.
        } finally {
          names.delete(upload);
        }
      })();
    },
    deleted: (name) => mark(name, true),
    renewed: (name) => mark(name, false),
    count: () => names.size,
  };
}
