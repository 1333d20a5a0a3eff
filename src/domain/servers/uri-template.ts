/** The variables of an address, and a function that fills them in (RFC 6570). */
export type AddressTemplate = { names: readonly string[]; expand: (values: Record<string, string>) => string }

/**
 * Parses an address with variables.
 * @throws Error for an invalid one, in the protocol library's words
 */
export async function addressTemplate(text: string): Promise<AddressTemplate> {
  // The library is large, but already loaded if this process has connected to a server.
  const { UriTemplate } = await import('@modelcontextprotocol/client')
  const template = new UriTemplate(text)
  return { names: [...new Set(template.variableNames)], expand: values => template.expand(values) }
}
