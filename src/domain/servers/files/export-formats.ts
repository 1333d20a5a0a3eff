/** Files that programs read: `mcp` as Claude Code and most others do, `vscode` as VS Code does. */
export const EXPORT_FORMATS = ['mcp', 'vscode'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]
