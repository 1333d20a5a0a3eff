/** Headers as both sides read them, names in any case; Node's own `Headers` fits. */
export type ApiHeaders = Iterable<[name: string, value: string]> & {
  get: (name: string) => string | null
  has: (name: string) => boolean
}

/** Complete text, or bytes that are still on their way. */
export type ApiBody = string | AsyncIterable<Uint8Array> | null

/** How far work is, as its worker reports it; without a total the amount is unknown. */
export type Progress = { progress: number; total?: number | undefined; message?: string | undefined }
export type OnProgress = (progress: Progress) => void

/** A request as far as client and service look at it; Node's own `Request` fits. */
export type ApiRequest = {
  readonly method: string
  /** A whole address; between client and service in one process its host means nothing. */
  readonly url: string
  readonly headers: ApiHeaders
  readonly body: ApiBody
  readonly signal: AbortSignal
  /** Receives progress, where both sides are one process: nothing of it goes over a connection. */
  readonly onProgress?: OnProgress | undefined
}

/** An answer as far as the client looks at it; Node's own `Response` fits. */
export type ApiResponse = {
  readonly status: number
  readonly headers: ApiHeaders
  readonly body: ApiBody
  /** The service of this process wrote the body as declared, so it need not be checked again. */
  readonly asDeclared?: boolean | undefined
}

/** Headers without Node's own class, whose first use loads all of its fetch. */
export function plainHeaders(values: Readonly<Record<string, string>>): ApiHeaders {
  const all = new Map(Object.entries(values).map(([name, value]) => [name.toLowerCase(), value]))
  return {
    get: name => all.get(name.toLowerCase()) ?? null,
    has: name => all.has(name.toLowerCase()),
    [Symbol.iterator]: () => all.entries(),
  }
}
