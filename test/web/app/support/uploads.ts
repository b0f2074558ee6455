/**
 * A double of XMLHttpRequest with the parts that the app uses: it sends the body as a whole, and reports progress once.
 */

type Answer = (path: string, init: RequestInit) => Promise<Response>;

/** The class, for requests that are answered in the test's own process. */
export const uploads = (answer: Answer) =>
  class extends EventTarget {
    upload = new EventTarget();
    status = 0;
    responseText = '';
    #method = '';
    #path = '';
    readonly #headers = new Headers();
    readonly #stop = new AbortController();
    #response: Response | null = null;

    open(method: string, path: string): void {
      [this.#method, this.#path] = [method, path];
    }

    setRequestHeader(name: string, value: string): void {
      this.#headers.set(name, value);
    }

    getResponseHeader(name: string): string | null {
      return this.#response?.headers.get(name) ?? null;
    }

    abort(): void {
      this.#stop.abort();
      this.dispatchEvent(new Event('abort'));
    }

    send(body: Blob): void {
      void this.#send(body);
    }

    async #send(body: Blob): Promise<void> {
      try {
        const bytes = await body.arrayBuffer();
        this.upload.dispatchEvent(
          Object.assign(new Event('progress'), {
            loaded: bytes.byteLength,
            total: bytes.byteLength,
          }),
        );
        const init = { method: this.#method, headers: this.#headers, body: bytes };
        this.#response = await answer(this.#path, { ...init, signal: this.#stop.signal });
        this.status = this.#response.status;
        this.responseText = await this.#response.text();
        this.dispatchEvent(new Event('load'));
      } catch {
        if (!this.#stop.signal.aborted) this.dispatchEvent(new Event('error'));
      }
      this.dispatchEvent(new Event('loadend'));
    }
  };
