/**
 * Whose shape answers have where the two documents of the contract differ: `document` = the service document, which
 * decides; `published` = the OpenAPI file, which generated clients follow (differences, row 3).
 */
export const ANSWER_SHAPES = ['document', 'published'] as const
export type AnswerShape = (typeof ANSWER_SHAPES)[number]
