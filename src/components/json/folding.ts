/** Which values are folded: those at the paths of `except`, or with `all` every other one. */
export type Folding = { all: boolean; except: ReadonlySet<string> }

export function isFolded({ all, except }: Folding, path: string): boolean {
  return except.has(path) !== all
}

/** The same with the value at the path folded, or unfolded where it was. */
export function toggled(folding: Folding, path: string): Folding {
  const except = new Set(folding.except)
  if (!except.delete(path)) except.add(path)
  return { ...folding, except }
}

/** The same with everything around the path unfolded, so that its line shows. */
export function revealed(folding: Folding, path: string): Folding {
  const parts = path.split('/')
  return parts
    .slice(0, -1)
    .map((_, index) => parts.slice(0, index + 1).join('/'))
    .reduce((now, around) => (isFolded(now, around) ? toggled(now, around) : now), folding)
}
