import { expect } from 'vitest'
import { systemClock } from '../src/lib/clock.ts'
import { createDoctorReports, doctorReportsKey } from '../src/domain/servers/reports.ts'
import { createRerunLinks, rerunsKey } from '../src/domain/runs/rerun-links.ts'
import { openStored, type ProfileKey, type Stored } from '../src/lib/files/profile-store.ts'

/** The value in a file as another program sees it; errors fail the test unless the test listens to them. */
export function storedAt<T>(
  file: string,
  key: ProfileKey<T>,
  onFault: (error: unknown) => void = error => expect.unreachable(String(error)),
): Stored<T> {
  return openStored(file, key, { onFault, clock: systemClock })
}

export const doctorReportsAt = (file: string) =>
  createDoctorReports({ stored: storedAt(file, doctorReportsKey), clock: systemClock })

export const rerunLinksAt = (file: string) => createRerunLinks(storedAt(file, rerunsKey))
