module insurance.example/exchange/deploy/local

go 1.26.0

require (
	insurance.example/exchange/contracts v0.0.0
	insurance.example/exchange/gateway v0.0.0
	insurance.example/exchange/pkg v0.0.0
	insurance.example/exchange/services/claims v0.0.0
	insurance.example/exchange/services/coverage v0.0.0
	insurance.example/exchange/services/parties v0.0.0
	insurance.example/exchange/services/premium v0.0.0
	insurance.example/exchange/services/products v0.0.0
)

require (
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/pierrec/lz4/v4 v4.1.33 // indirect
	github.com/segmentio/kafka-go v0.4.51
	github.com/twmb/franz-go v1.22.2 // indirect
	github.com/twmb/franz-go/pkg/kfake v0.0.0-20260918054303-01f206a7e32c
	github.com/twmb/franz-go/pkg/kmsg v1.15.0 // indirect
)

replace (
	insurance.example/exchange/contracts => ../../contracts
	insurance.example/exchange/gateway => ../../gateway
	insurance.example/exchange/pkg => ../../pkg
	insurance.example/exchange/services/claims => ../../services/claims
	insurance.example/exchange/services/coverage => ../../services/coverage
	insurance.example/exchange/services/parties => ../../services/parties
	insurance.example/exchange/services/premium => ../../services/premium
	insurance.example/exchange/services/products => ../../services/products
)
