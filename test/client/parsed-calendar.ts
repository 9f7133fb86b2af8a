import assert from 'node:assert/strict'
import { inPrograms } from './tools.ts'

export const parser = inPrograms('ical.js/dist/ical.js')

interface Event {
  uid: string
  summary: string
  description: string
  /** The date of an all-day event, the instant of another. */
  start: string
  zone: string
  hours: number
}

/** As another parser reads them. */
export async function eventsIn(ics: string): Promise<Event[]> {
  const { default: ICAL } = await import(parser)
  const component = new ICAL.Component(ICAL.parse(ics))
  assert.equal(component.getFirstPropertyValue('version'), '2.0')
  return component.getAllSubcomponents('vevent').map((vevent: unknown) => {
    const { startDate, uid, summary, description, duration } = new ICAL.Event(vevent)
    const start = startDate.isDate ? startDate.toString() : startDate.toJSDate().toISOString()
    return { uid, summary, description, start, zone: startDate.zone.tzid, hours: duration.toSeconds() / 3600 }
  })
}
