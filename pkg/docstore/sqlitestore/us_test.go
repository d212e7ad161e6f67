package sqlitestore

import "insurance.example/exchange/pkg/organisation"

// us is in whose name the tests work.
var us = organisation.Sole()
