import type { Shape } from './json-shape.ts'

/**
 * Returns the differences of a request. Both directions count: a missing or an invented field, a looser or tighter
 * rule.
 */
export function compareInput(place: string, documented: Shape, declared: Shape): string[] {
  const found = [
    ...compareTypes(place, documented, declared),
    ...compareValues(place, documented.values, declared.values),
    ...compareBounds(place, documented, declared),
  ]
  if (documented.strict && !declared.strict) found.push(`${place}: takes undeclared fields, documented as strict`)
  if (isOpen(documented) && declared.fields.size > 0) return [...found, `${place}: fields declared, documented as open`]
  if (isOpen(declared) && documented.fields.size > 0) return [...found, `${place}: declared as open, fields documented`]
  for (const name of new Set([...documented.fields.keys(), ...declared.fields.keys()])) {
    const there = documented.fields.get(name)
    const here = declared.fields.get(name)
    if (!there) found.push(`${place}.${name}: only declared`)
    else if (!here) found.push(`${place}.${name}: only documented`)
    else {
      if (there.required !== here.required)
        found.push(`${place}.${name}: required only as ${there.required ? 'documented' : 'declared'}`)
      found.push(...compareInput(`${place}.${name}`, there.shape, here.shape))
    }
  }
  if (documented.entries && declared.entries)
    found.push(...compareInput(`${place}[]`, documented.entries, declared.entries))
  return found
}

/** Returns the differences of an answer. Reading fewer fields is allowed, refusing what the document allows is not. */
export function compareOutput(place: string, documented: Shape, declared: Shape): string[] {
  const found: string[] = []
  if (declared.strict) found.push(`${place}: refuses undeclared fields`)
  if (declared.values) found.push(`${place}: refuses unknown values`)
  if (declared.bounds.size > 0) found.push(`${place}: refuses values beyond its bounds`)
  if (declared.knownValues) found.push(...compareValues(place, documented.values, declared.knownValues))
  found.push(...refusedTypes(documented, declared).map(type => `${place}: refuses ${type}`))
  for (const [name, here] of declared.fields) {
    const there = documented.fields.get(name)
    const field = `${place}.${name}`
    if (!there) found.push(`${field}: not documented${here.required ? ', yet required' : ''}`)
    else {
      if (here.required && !there.required) found.push(`${field}: required, documented as optional`)
      found.push(...compareOutput(field, there.shape, here.shape))
    }
  }
  if (documented.entries && declared.entries)
    found.push(...compareOutput(`${place}[]`, documented.entries, declared.entries))
  return found
}

function isOpen(shape: Shape): boolean {
  return shape.fields.size === 0 && !shape.strict && shape.types.has('object')
}

function compareTypes(place: string, documented: Shape, declared: Shape): string[] {
  const there = [...documented.types].sort().join(' or ') || 'anything'
  const here = [...declared.types].sort().join(' or ') || 'anything'
  return there === here ? [] : [`${place}: ${here}, documented as ${there}`]
}

function refusedTypes(documented: Shape, declared: Shape): string[] {
  if (declared.types.size === 0) return []
  const accepts = (type: string) => declared.types.has(type) || (type === 'integer' && declared.types.has('number'))
  return [...documented.types].filter(type => !accepts(type))
}

function compareValues(
  place: string,
  documented: ReadonlySet<string> | undefined,
  declared: ReadonlySet<string> | undefined,
): string[] {
  const onlyHere = [...(declared ?? [])].filter(value => !documented?.has(value))
  const onlyThere = [...(documented ?? [])].filter(value => !declared?.has(value) && value !== 'null')
  return [
    ...(onlyHere.length > 0 ? [`${place}: values ${onlyHere.join(', ')} only declared`] : []),
    ...(onlyThere.length > 0 ? [`${place}: values ${onlyThere.join(', ')} only documented`] : []),
  ]
}

function compareBounds(place: string, documented: Shape, declared: Shape): string[] {
  const names = new Set([...documented.bounds.keys(), ...declared.bounds.keys()])
  return [...names]
    .filter(name => documented.bounds.get(name) !== declared.bounds.get(name))
    .map(name => {
      const here = declared.bounds.get(name) ?? 'unbounded'
      const there = documented.bounds.get(name) ?? 'unbounded'
      return `${place}: ${name} ${here}, documented as ${there}`
    })
}
