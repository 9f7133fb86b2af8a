import '../../support/run-group.ts'
