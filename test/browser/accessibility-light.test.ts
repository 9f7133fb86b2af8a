import { checkEveryPage } from '../support/accessible-pages.ts'

checkEveryPage('light')
