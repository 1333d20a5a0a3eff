/** Arguments of `.refine`: what must hold for a body, and which field is named when it does not. */
type BodyRule = readonly [
  holds: (body: Record<string, unknown>) => boolean,
  failure: { path?: string[]; error: string },
]

/** A sparse edit sets something; `undefined` vanishes in JSON, so it counts as unset, while `null` is a value. */
export const anyField: BodyRule = [
  body => Object.values(body).some(value => value !== undefined),
  { error: 'at least one field is needed' },
]

/** Sending `field` demands `other` as well; the missing one is named. */
export function needs(field: string, other: string): BodyRule {
  return [
    body => body[field] === undefined || body[other] !== undefined,
    { path: [other], error: `goes together with ${field}` },
  ]
}

/** Either of two fields is sent, never both and never none. */
export function exactlyOne(field: string, other: string): BodyRule {
  return [
    body => (body[field] === undefined) !== (body[other] === undefined),
    { path: [field], error: `send exactly one of ${field} and ${other}` },
  ]
}

/** `field` is sent without any other. */
export function alone(field: string): BodyRule {
  return [
    body =>
      body[field] === undefined || Object.entries(body).every(([name, value]) => name === field || value === undefined),
    { path: [field], error: 'must be sent on its own' },
  ]
}
