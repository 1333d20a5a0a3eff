/** An answer to a request. `text` is sent unchanged. `body` is sent as JSON; a {@link JsonText} already is JSON. */
export type Answer = {
  status: number
  body?: unknown
  text?: string
  headers?: Record<string, string>
  asDeclared?: boolean
}

/** A body that is already JSON text. `T` is the type of its value. */
export class JsonText<T> {
  declare protected readonly content?: T
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The answer of a handler that sets more than the body. Most handlers return only the body. */
export class Reply<T> {
  readonly body: T
  readonly headers: Readonly<Record<string, string>>

  constructor(body: T, headers: Readonly<Record<string, string>>) {
    this.body = body
    this.headers = headers
  }
}
