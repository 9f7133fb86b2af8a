import { Command } from 'commander'
export const command = () => new Command('demo')
