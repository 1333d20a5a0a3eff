/** What is written to the caller. `text` is a body that is written already, its type among the headers. */
export type Answer = { status: number; body?: unknown; text?: string; headers?: Record<string, string> }

/** An answer with more than a body; most handlers answer the body alone. */
export class Reply<T> {
  readonly body: T
  readonly headers: Readonly<Record<string, string>>

  constructor(body: T, headers: Readonly<Record<string, string>>) {
    this.body = body
    this.headers = headers
  }
}
