declare module 'postject' {
  /** Embeds a resource in an executable file of any system. */
  export function inject(
    file: string,
    name: string,
    content: Buffer,
    options: { sentinelFuse: string; machoSegmentName?: string },
  ): Promise<void>
}
