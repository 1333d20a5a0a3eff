/** What the program itself finds when a shell asks; `records` are those of the noun that is before on the line. */
export const NAME_KINDS = ['profiles', 'projects', 'servers', 'suites', 'runs', 'tools', 'records'] as const
export type NameKind = (typeof NAME_KINDS)[number]
