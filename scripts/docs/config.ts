import { LOCAL_PROFILE } from '../../src/cli/config/defaults.ts'
import { defaultFile, type SettingText, settingTexts } from '../../src/cli/config/default-file.ts'

/** docs/config.md: every setting of the config file, from its declaration. */
export function configDocument(): string {
  const { file, profile } = settingTexts()
  return [
    `# The config file

Generated from \`src/cli/config/schema.ts\` by \`npm run docs\`.

\`MCPDECK_CONFIG\` names it; otherwise it is \`config.yaml\` in \`mcpdeck\` of the config directory (XDG). \`mcpdeck config init\` writes
it, \`mcpdeck config check\` names what is wrong in it by line and column, \`mcpdeck config show\` prints all of them, defaults included.

What opens is decided by an option (\`--profile\`, \`--base-url\`, \`--local\`), then by the environment (\`MCPDECK_PROFILE\`,
\`MCPDECK_BASE_URL\`), then by \`--data-dir\` (the local workspace there), then by \`default\`, and else it is the local workspace. In the
same way options and the environment go before the other settings.

## Settings
`,
    table(file),
    `
## Themes

\`Ctrl+T\` in the dashboard shows each theme as it is chosen and writes the kept one into this file. \`mcpdeck theme list\` names
all, \`mcpdeck theme preview\` prints rows in each with the contrast of everything that is read, those of \`themes\` too: a theme of
your own takes \`ground\`, \`text\`, \`muted\`, \`border\`, \`accent\`, \`ok\`, \`warn\`, \`error\`, \`live\` and \`selected\`, each \`#rrggbb\`. Terminals
of 256 colours get the nearest that can be read, those of sixteen their own by meaning. The terminal's background becomes the
theme's only where the terminal has told its own (OSC 11), which it gets back at the end; \`auto\`, \`dark\`, \`light\`, both high
contrasts and \`monochrome\` leave it as it is.

## Settings of a profile

\`${LOCAL_PROFILE}\` is the local workspace and needs no profile.
`,
    table(profile),
    `
## Keys of services

A key is no setting, and never an argument: others could read it. A profile names at most one source.

- \`keyFile\`: refused when its group or others can read it. A relative path counts from the config file.
- \`keyCommand\`: a text is split into words at blanks, with quotes as in a shell, and runs without one; what only a shell would
  understand is refused. It gets the variables that programs keeping secrets need (\`PATH\`, \`HOME\`, \`LANG\`, agents, \`XDG_…\`, \`PASSWORD_STORE_…\`)
  and no others, nothing to read, and 30 seconds. It does not run from a file that everyone can write.
- \`keyEnv\`: a variable. \`MCPDECK_API_KEY\` serves a profile that names no source, unless it belongs to \`MCPDECK_BASE_URL\`.
- none of them: the key is typed once at the terminal, unseen, and kept with mode 0600 in \`keys\` of the data directory, for this
  profile at this host. Another address in the profile asks anew.

## What server programs get

A server over stdio that the local workspace starts sees the variables of its own record and, of yours, only \`PATH\`, \`HOME\`, \`LANG\`,
\`TMPDIR\`, \`HTTP_PROXY\`, \`HTTPS_PROXY\`, \`NO_PROXY\` (both spellings), \`SSL_CERT_FILE\`, \`SSL_CERT_DIR\` and \`NODE_EXTRA_CA_CERTS\`; its record
goes before yours. A proxy address is passed on as it is, with a name and a password where it has them: set those variables in the
record of a server that must not see them. The folder of mcpdeck's own dependencies, which npm puts first on the \`PATH\`, is taken out.

## The file that \`mcpdeck config init\` writes

\`\`\`yaml
${defaultFile()}\`\`\`
`,
  ].join('\n')
}

function table(settings: readonly SettingText[]): string {
  return [
    '| setting | values | default | |',
    '|---|---|---|---|',
    ...settings.map(
      each =>
        `| \`${each.name}\` | ${each.type} | ${each.default === undefined ? (each.required ? 'required' : '') : `\`${each.default}\``} | ${each.says} |`,
    ),
  ].join('\n')
}
