/**
 * Common questions about things of each kind. The chosen question is put in the field, where it can be edited before it
 * is sent.
 */
const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  run: ['Why did this run fail?', 'Write a case for what failed in this run.', 'What changed since the run before it?'],
  finding: ['Write a case for this finding.', 'Why does this finding come up?', 'What changed on it since last week?'],
  server: [
    'What changed on this server since last week?',
    'Why do calls of this server fail?',
    'Write a case for a tool of this server.',
  ],
}

/** Returns the questions about a thing of this kind, the most likely first. */
export function questionsAbout(kind: string | undefined): readonly string[] {
  return QUESTIONS[kind ?? ''] ?? []
}

/** Returns a question as sent, with the thing that was selected on the screen. */
export function aboutChosen(question: string, chosen: { kind: string; id: string } | undefined): string {
  return chosen ? `${question}\n\n(Chosen on the screen: ${chosen.kind} ${chosen.id}.)` : question
}

/** Returns a question as the person wrote it. */
export function asWritten(question: string): string {
  return question.replace(/\n\n\(Chosen on the screen: [^\n]*\)$/, '')
}
