export type McpLibrary = typeof import('@modelcontextprotocol/client')

let library: Promise<McpLibrary> | undefined

/** Loads the protocol library on first use: it is heavy and most starts of the dashboard never need it. */
export function loadLibrary(): Promise<McpLibrary> {
  library ??= import('@modelcontextprotocol/client')
  return library
}
