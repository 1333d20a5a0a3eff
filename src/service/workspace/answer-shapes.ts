/**
 * Which document decides the shape of answers: the service's (`document`) or the published one (`published`;
 * differences, row 3).
 */
export const ANSWER_SHAPES = ['document', 'published'] as const
export type AnswerShape = (typeof ANSWER_SHAPES)[number]
