/** Programs whose file for all projects of a person can get another server, as commands name them. */
export const EDITED_PROGRAMS = ['claude-code', 'vscode', 'cursor'] as const
export type EditedProgram = (typeof EDITED_PROGRAMS)[number]
