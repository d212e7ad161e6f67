package policy_test

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"insurance.example/exchange/deploy/kubernetes/policy"
)

// brokenSettings breaks the settings of the programs.
func brokenSettings() []breakage {
	return []breakage{
		{prod, with("gateway", "EXCHANGE_JWKS_URL", ""), "Deployment gateway",
			"set EXCHANGE_JWKS_URL or EXCHANGE_JWT_KEYS"},
		{dev, with("gateway", "EXCHANGE_JWKS_URL", "https://identity.example.com/keys"), "Deployment gateway",
			"and not both"},
		{premium, with("premium", "EXCHANGE_BROKERS", ""), "Deployment premium", "has no brokers"},
		{claims, with("claims", "EXCHANGE_BROKERS", "kafka:9092"), ofClaims, "no use for brokers"},
		{claims, with("claims", "EXCHANGE_STORE", "sqlite:/data/claims.db"), ofClaims,
			"its records would go with its pod"},
		{claims, inContainer(func(c *corev1.Container) {
			c.Command = []string{"/claims"}
		}), ofClaims, "a command of its own"},
		{claims, inContainer(func(c *corev1.Container) {
			c.Args = []string{"--colour"}
		}), ofClaims, "refuses its arguments"},
		{claims, with("claims", "EXCHANGE_COLOUR", "red"), ofClaims,
			"the variable EXCHANGE_COLOUR is no setting of the program"},
		// Every program accepts the settings of all when it starts; in a manifest that is a mistake.
		{gateway, with("gateway", "EXCHANGE_STORE", "mongodb://mongodb"), "Deployment gateway",
			"the variable EXCHANGE_STORE is no setting of the program"},
		{claims, with("claims", "EXCHANGE_DRAIN_DELAY", "soon"), ofClaims, "setting drain-delay from the environment"},
		{claims, func(m *policy.Manifests) { m.ConfigMaps = nil }, ofClaims, "there is no ConfigMap claims"},
		{claims, inContainer(func(c *corev1.Container) {
			from := &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}}
			c.Env = append(c.Env, corev1.EnvVar{Name: "EXCHANGE_TOKEN_URL", ValueFrom: from})
		}), ofClaims, "the value of EXCHANGE_TOKEN_URL is not in the manifests"},
		{claims, with("claims", "CREDENTIAL", "x"), ofClaims, "the variable CREDENTIAL is no setting"},
		{claims, with("claims", "EXCHANGE_ADDR", "nowhere"), ofClaims,
			`its setting addr is "nowhere", which has no port`},
		{claims, with("claims", "EXCHANGE_ADDR", ":8081"), ofClaims, "it listens on the port 8081 (setting addr)"},
		{claims, with("claims", "EXCHANGE_ADMIN_ADDR", ":9091"), ofClaims,
			"it listens on the port 9091 (setting admin-addr)"},
		{claims, with("claims", "EXCHANGE_ADMIN_ADDR", "127.0.0.1:9090"), ofClaims,
			`its setting admin-addr is "127.0.0.1:9090", which is not reached from outside of the pod`},
		{claims, inPod(func(s *corev1.PodSpec) {
			s.TerminationGracePeriodSeconds = nil
		}), ofClaims, "it is given 0s to stop"},
		{claims, with("claims", "EXCHANGE_DRAIN_DELAY", "31s"), ofClaims,
			"it is given 1m0s to stop, and takes up to 1m1s"},
		{claims, with("claims", "EXCHANGE_REQUEST_TIMEOUT", "25s"), ofClaims,
			"requests may take longer (request-timeout, 25s)"},
		{claims, with("claims", "EXCHANGE_PEER", ""), ofClaims, "it calls coverage, and has no address of it"},
		{claims, with("claims", "EXCHANGE_PEER", "coverage=http://policies:8080"), ofClaims,
			"the name of its Service is coverage"},
		{test, with("claims", "EXCHANGE_PEER", "coverage=http://coverage:8081"), ofClaims,
			"its Service has no port 8081"},
		{prodTLS, with("claims", "EXCHANGE_PEER", "coverage=http://coverage:8080"), ofClaims, "it begins with https"},
		{prodTLS, with("claims", "EXCHANGE_TLS_CLIENT_NAMES", "gateway"), ofClaims,
			"its callers are [book composite desk feed gateway premium]"},
		{claims, with("claims", "EXCHANGE_PEER", "coverage=http://coverage:8080,parties=http://parties:8080"), ofClaims,
			"an address of parties, which it does not call"},
		{claims, inContainer(func(c *corev1.Container) { c.Env[0].Value = "2GiB" }), ofClaims, "GOMEMLIMIT is 2GiB"},
		{claims, inContainer(func(c *corev1.Container) { c.Env = nil }), ofClaims, "does not know the limit of memory"},
		{claims, inContainer(func(c *corev1.Container) {
			c.VolumeMounts[0].ReadOnly = false
		}), ofClaims, "to be written to"},
		{claims, inContainer(func(c *corev1.Container) {
			c.VolumeMounts = nil
		}), ofClaims, "setting credential-file names the file /credential/secrets"},
		{prod, with("claims", "EXCHANGE_MONGO_USER", ""), ofClaims, "it logs in to MongoDB as nobody"},
		{prod, with("claims", "EXCHANGE_MONGO_USER", "exchange"), ofClaims, "it logs in to MongoDB as exchange"},
		{dev, inPod(func(s *corev1.PodSpec) {
			for i := range s.Volumes {
				if s.Volumes[i].Name == "mongodb" {
					s.Volumes[i].Secret.SecretName = "exchange-mongodb-parties"
				}
			}
		}), ofClaims,
			"its password of MongoDB is in the Secret exchange-mongodb-parties, which Deployment parties has"},
		{prod, with("premium", "EXCHANGE_KAFKA_CA", "/kafka/authorities.pem"), "Deployment premium",
			"setting kafka-ca names the file"},
		{prod, with("book", "EXCHANGE_BOOK_FILE", "/book.db"), "Deployment book",
			"setting book-file names the file /book.db, in a folder that it cannot write to"},
		{prod, on("book", func(d *appsv1.Deployment) {
			mounts := d.Spec.Template.Spec.Containers[0].VolumeMounts
			for i := range mounts {
				mounts[i].ReadOnly = true
			}
		}), "Deployment book", "setting book-file names the file /book/book.db, in a folder that it cannot write to"},
	}
}
