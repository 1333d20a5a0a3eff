/** Headers as both sides read them, with names in any case. Node's own `Headers` fits. */
export type ApiHeaders = Iterable<[name: string, value: string]> & {
  get: (name: string) => string | null
  has: (name: string) => boolean
}

/** Complete text, or bytes that are still arriving. */
export type ApiBody = string | AsyncIterable<Uint8Array> | null

/** Progress of work as reported by its worker. Without a total the amount is unknown. */
export type Progress = { progress: number; total?: number | undefined; message?: string | undefined }
export type OnProgress = (progress: Progress) => void

/** The parts of a request that client and service use. Node's own `Request` fits. */
export type ApiRequest = {
  readonly method: string
  /** A whole address. Between client and service in one process its host has no meaning. */
  readonly url: string
  readonly headers: ApiHeaders
  readonly body: ApiBody
  readonly signal: AbortSignal
  /** Receives progress if both sides are in one process. It is never sent over a connection. */
  readonly onProgress?: OnProgress | undefined
}

/** The parts of an answer that the client uses. Node's own `Response` fits. */
export type ApiResponse = {
  readonly status: number
  readonly headers: ApiHeaders
  readonly body: ApiBody
  /** The service of this process wrote the body as declared, so it need not be validated again. */
  readonly asDeclared?: boolean | undefined
}

/** Returns headers without Node's own class, whose first use loads all of its fetch. */
export function plainHeaders(values: Readonly<Record<string, string>>): ApiHeaders {
  const all = new Map(Object.entries(values).map(([name, value]) => [name.toLowerCase(), value]))
  return {
    get: name => all.get(name.toLowerCase()) ?? null,
    has: name => all.has(name.toLowerCase()),
    [Symbol.iterator]: () => all.entries(),
  }
}
