/** Variables whose values are secrets. */
const SECRET_VARIABLES = ['MCPDECK_API_KEY', 'MCPDECK_MODEL_API_KEY'] as const

/** What a secret looks like, with the part that may stay in front of it. */
const SECRETS: readonly RegExp[] = [
  /\b(sk_|Bearer\s+)[\w.~+/=-]+/gi,
  /\b(sk-)[\w-]{8,}/g,
  // Links of visitors; whoever has one gets in.
  /(\/visit\/)[^/\s?#"']+/g,
  /([?&][\w-]*(?:token|secret|key|code|password|signature)=)[^&\s"']+/gi,
  /("(?:\w*(?:token|secret|api_?key|password))"\s*:\s*")(?:[^"\\]|\\.)+/gi,
  /(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@:]+:[^\s/@]+(?=@)/gi,
]

/**
 * Makes a text fit for a log: what is a secret, or looks like one, becomes `[secret]`; control characters are spelt
 * out, and what follows a line break is indented, so that no text can pass for a line of its own.
 */
export function createRedaction(env: NodeJS.ProcessEnv): (text: string) => string {
  const known = SECRET_VARIABLES.flatMap(name => env[name]?.trim() || [])
  return text => {
    let safe = text
    for (const secret of known) safe = safe.replaceAll(secret, '[secret]')
    for (const pattern of SECRETS) safe = safe.replaceAll(pattern, '$1[secret]')
    return safe.replaceAll(/[\0-\t\v-\u001F\u007F]/g, spelt).replaceAll('\n', '\n  ')
  }
}

function spelt(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`
}
