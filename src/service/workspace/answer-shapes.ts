/** The document that decides the shape of answers: `document` (the service's) or `published` (differences, row 3). */
export const ANSWER_SHAPES = ['document', 'published'] as const
export type AnswerShape = (typeof ANSWER_SHAPES)[number]
