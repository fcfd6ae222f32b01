// What browsers have beside what every runtime has, as far as the client uses it: it is made for runtimes without, too.

interface Browser {
  readonly document?: unknown;
  readonly localStorage?: {
    getItem(key: string): string | null;
    setItem(key: string, value: string): void;
    removeItem(key: string): void;
  };
  /** https://w3c.github.io/web-locks/ */
  readonly navigator?: {
    readonly locks?: { request<T>(name: string, run: () => Promise<T>): Promise<T> };
  };
  /** https://xhr.spec.whatwg.org/ */
  readonly XMLHttpRequest?: new () => UploadRequest;
  /** Of pages; Node has neither of both. */
  addEventListener?(type: string, listener: (event: Event & { key?: string | null }) => void): void;
  removeEventListener?(
    type: string,
    listener: (event: Event & { key?: string | null }) => void,
  ): void;
}

export interface UploadRequest {
  readonly upload: { onprogress: ((event: { loaded: number; total: number }) => void) | null };
  onload: (() => void) | null;
  onerror: (() => void) | null;
  onabort: (() => void) | null;
  readonly status: number;
  readonly responseText: string;
  open(method: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: FormData): void;
  abort(): void;
}

export const browser = globalThis as unknown as Browser;
