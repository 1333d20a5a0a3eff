/** An answer to the caller. `text` is sent unchanged, `body` as JSON unless it is {@link JsonText}. */
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

/** An answer that consists of more than a body. Most handlers return only the body. */
export class Reply<T> {
  readonly body: T
  readonly headers: Readonly<Record<string, string>>

  constructor(body: T, headers: Readonly<Record<string, string>>) {
    this.body = body
    this.headers = headers
  }
}
