/** Formats that other programs read: `mcp` for Claude Code and most others, `vscode` for VS Code. */
export const EXPORT_FORMATS = ['mcp', 'vscode'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]
