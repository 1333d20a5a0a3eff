/** Names that the program finds for a shell; `records` are those of the noun already on the line. */
export const NAME_KINDS = ['profiles', 'projects', 'servers', 'suites', 'runs', 'tools', 'records'] as const
export type NameKind = (typeof NAME_KINDS)[number]
