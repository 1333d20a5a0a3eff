/** An answer to the caller: `text` is written unchanged, `body` as JSON unless it is {@link JsonText}. */
export type Answer = {
  status: number
  body?: unknown
  text?: string
  headers?: Record<string, string>
  asDeclared?: boolean
}

/** A body that is already JSON; `T` is its type. */
export class JsonText<T> {
  declare protected readonly content?: T
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** An answer with more than a body; most handlers return only the body. */
export class Reply<T> {
  readonly body: T
  readonly headers: Readonly<Record<string, string>>

  constructor(body: T, headers: Readonly<Record<string, string>>) {
    this.body = body
    this.headers = headers
  }
}
