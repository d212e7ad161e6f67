package allinone

import (
	"insurance.example/exchange/contracts/settings"
	"insurance.example/exchange/pkg/patience"
	"insurance.example/exchange/pkg/process"
)

// groups are the settings of exchange run as its --help has them, those first that most people give.
var groups = []process.FlagGroup{
	{Title: "Where it listens, and where its records are", Names: []string{
		"addr", "admin-addr", "public-url", "cors-origins", settings.Data, process.StoreSetting, "config", bookFlag,
		settings.BookFile,
	}},
	{Title: "Rules of the business", Names: []string{
		settings.AnnualLength, settings.TripLength, settings.ReportingWindow, settings.RefundReceiptType,
		settings.BordereauPeriod, "key-retention", "claim-documents", "value-sets", settings.AmountUnit,
		settings.Currency, settings.TimeZone, "events-retention", "webhook-*",
	}},
	{Title: "Tokens of callers", Names: []string{
		"admin-may-read", settings.ConsoleClient, "jwks-*", "jwt-*", "org-*", "token-*",
	}},
	{Title: "Logs, metrics and traces", Names: []string{"access-log", "audit-*", "log-*", "profiling", "trace-*"}},
	{Title: "Bounds, of time and of room", Names: []string{
		"request-timeout", "client-timeout", "drain-*", "max-*", "memory-limit", "overload-*",
		patience.Setting, "rate-*", "work-memory",
	}},
	{Title: "TLS, and other processes", Names: []string{"tls-*", "credential*", "peer*"}},
	{Title: "MongoDB", Names: []string{"mongo-*"}},
	{Title: "The bordereau's messages", Names: []string{settings.SessionTimeout, "topic-*"}},
	{Title: "To try things out", Names: []string{demoFlag, testClockFlag}},
}
