import * as z from 'zod'
import { shape } from '../../api/contract/shapes.ts'

/** Body of an opening: the invitation of a scenario for invited people. */
export const Opening = shape(() => z.strictObject({ invitation: z.string().max(200).optional() }).optional())

/** Body of a message. */
export const Message = shape(() =>
  z.strictObject({
    text: z
      .string()
      .max(8000)
      .refine(text => text.trim() !== '', { error: 'must not be blank' }),
  }),
)

/** Body of feedback: stars from 1 to 5, words, or both. */
export const Feedback = shape(() =>
  z
    .strictObject({ rating: z.int().min(1).max(5).optional(), comment: z.string().max(2000).optional() })
    .refine(({ rating, comment }) => rating !== undefined || comment !== undefined, {
      error: 'at least one field is needed',
    }),
)
