import * as z from 'zod'
import { listOf, openEnum, record, shape, timestamp } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'

/** An installed plugin. Without `activeVersionId` it was never activated. */
export const Plugin = shape(() =>
  record({
    id: z.string(),
    projectId: z.string().nullish(),
    name: z.string(),
    displayName: z.string().nullish(),
    description: z.string().nullish(),
    enabled: z.boolean().nullish(),
    activeVersionId: z.string().nullish(),
    createdAt: timestamp().nullish(),
    updatedAt: timestamp().nullish(),
  }),
)
export type Plugin = z.infer<typeof Plugin>

const component = () => ({
  componentId: z.string(),
  componentKey: z.string().nullish(),
  declaredName: z.string().nullish(),
})

/** One imported version with its servers and skills. Only a `ready` one runs. */
export const PluginVersion = shape(() =>
  record({
    id: z.string(),
    pluginId: z.string(),
    declaredVersion: z.string().nullish(),
    bundleHash: z.string().nullish(),
    manifestHash: z.string().nullish(),
    status: openEnum(['staging', 'ready', 'invalid']),
    componentCounts: record({
      skills: z.number().nullish(),
      servers: z.number().nullish(),
      apps: z.number().nullish(),
      assets: z.number().nullish(),
      unsupported: z.number().nullish(),
    }).nullish(),
    servers: z
      .array(
        record({
          ...component(),
          placement: openEnum(['remote', 'local', 'computer']).nullish(),
          authenticationPolicy: openEnum(['on_install', 'on_use']).nullish(),
          materializedServerId: z.string().nullish(),
        }),
      )
      .nullish(),
    skills: z
      .array(record({ ...component(), modelRef: z.string().nullish(), materializedSkillId: z.string().nullish() }))
      .nullish(),
    createdAt: timestamp().nullish(),
    readyAt: timestamp().nullish(),
  }),
)
export type PluginVersion = z.infer<typeof PluginVersion>

export const plugins = resource('plugins', {
  list: endpoint('listProjectPlugins', 'GET', '/projects/{projectId}/plugins', {
    summary: 'Plugins installed in a project, disabled ones too.',
    ...listOf(Plugin),
  }),
  version: endpoint('getPluginVersion', 'GET', '/plugin-versions/{pluginVersionId}', {
    summary: 'One plugin version with its servers and skills; old versions stay readable.',
    response: PluginVersion,
  }),
})
