import type { Rule } from './outcomes.ts'
import type { Outcome } from './types.ts'
import { notApplicable, SATISFIED, whenConnected } from './outcomes.ts'

/** What a submission form asks for and no server says of itself. */
const ARTIFACTS = [
  { input: 'privacyPolicyUrl', title: 'A privacy policy is linked' },
  { input: 'supportContact', title: 'There is a way to reach support' },
  { input: 'documentationUrl', title: 'The server is documented in public' },
  { input: 'testAccount', title: 'Reviewers get an account with sample data' },
  { input: 'examplePrompts', title: 'Example prompts show what the server is for' },
] as const

/** What is handed in with a server, and what belongs to the form of an OpenAI submission. */
export const SUBMISSION_RULES: readonly Rule[] = [
  ...ARTIFACTS.map(({ input, title }): Rule => ({
    id: `artifact-${input}`,
    lane: 'submission-artifacts',
    title,
    judge: () => missing('It is handed in with the submission form, which cannot be seen from here.', input),
  })),
  {
    id: 'artifact-logo',
    lane: 'submission-artifacts',
    title: 'The server has an icon',
    judge: evidence =>
      whenConnected(evidence, () => {
        const icons = evidence.report.initInfo?.serverInfo?.['icons']
        return Array.isArray(icons) && icons.length > 0
          ? SATISFIED
          : missing('The server names no icon; the form takes one.', 'logo')
      }),
  },
  {
    id: 'imported-skills',
    lane: 'plugin-package',
    title: 'The imported skills are part of the package',
    kinds: ['openai'],
    judge: ({ submissionMode }) =>
      submissionMode === 'mcp-only'
        ? notApplicable('The submission is declared as a server alone.')
        : missing('The package that imports the skills cannot be handed in here.', 'skillsPackage'),
  },
  {
    id: 'published-release',
    lane: 'release-contract',
    title: 'What is listed now stays as it was published',
    kinds: ['openai'],
    judge: () => missing('The published listing is known to the directory alone.', 'publishedToolListing'),
  },
]

function missing(detail: string, input: string): Outcome {
  return { status: 'not-evaluated', detail, missingInputs: [input] }
}
