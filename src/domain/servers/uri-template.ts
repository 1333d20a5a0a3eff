/** Variables of an address, and the address with them filled in (RFC 6570). */
export type AddressTemplate = { names: readonly string[]; expand: (values: Record<string, string>) => string }

/**
 * Reads an address with variables.
 * @throws Error for what is no such address, in the protocol library's words
 */
export async function addressTemplate(text: string): Promise<AddressTemplate> {
  // Heavy, and loaded already where a server was connected from this process.
  const { UriTemplate } = await import('@modelcontextprotocol/client')
  const template = new UriTemplate(text)
  return { names: [...new Set(template.variableNames)], expand: values => template.expand(values) }
}
