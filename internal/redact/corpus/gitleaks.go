package corpus

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// gitleaksRule is what generating a secret needs to know of a rule.
type gitleaksRule struct {
	ID          string
	Regex       string
	SecretGroup int
	Entropy     float64
	Keywords    []string
	Allowlists  []struct {
		Regexes   []string
		StopWords []string
	}
}

// written are rules whose expressions say too little of what people write.
var written = map[string]string{
	"curl-auth-header":                       `curl -sS -H "Authorization: Bearer «alnum36»" https://api.example.com/v1/items`,
	"curl-auth-user":                         `curl -sS -u "deploy:«pw»" https://ci.example.com/job/build`,
	"kubernetes-secret-yaml":                 "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  password: «base20|==»\n",
	"nuget-config-password":                  `<add key="ClearTextPassword" value="«pw»" />`,
	"sidekiq-sensitive-url":                  "source 'https://«hex8|:|hex8»@gems.contribsys.com/'",
	"slack-webhook-url":                      "SLACK_URL=https://hooks.slack.com/services/T«!up9»/B«!up9»/«alnum24»",
	"microsoft-teams-webhook":                "url: https://acme.webhook.office.com/webhookb2/«uuid|@|uuid|/IncomingWebhook/|hex32|/|uuid»",
	"freemius-secret-key":                    `'secret_key' => '«sk_|alnum29»',`,
	"hashicorp-tf-password":                  `administrator_login_password = "«pw»"`,
	"jwt":                                    "token=«jwt»",
	"aws-amazon-bedrock-api-key-short-lived": "AWS_BEARER_TOKEN_BEDROCK=«bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29t|base120»",
	"gitlab-session-cookie":                  "Cookie: _gitlab_session=«low32»",
	"generic-api-key":                        `service_api_key = "«low20|dig2|let10»"`,
	"sidekiq-secret":                         `BUNDLE_ENTERPRISE__CONTRIBSYS__COM="«hex8|:|hex8»"`,
	"facebook-access-token":                  `FB_TOKEN="«dig15|%|low32»"`,
	"slack-legacy-workspace-token":           `SLACK_TOKEN=«xoxa-2-|alnum40»`,
	"jwt-base64":                             "TOKEN_B64=«ZXlKaGJHY2lPaUpJVXpJMU5pSXNJblI1Y0NJNklrcFhWQ0o5|alnum80»",
	"sourcegraph-access-token":               `SRC_ACCESS_TOKEN=«sgp_|hex16|_|hex40»`,
	"vault-service-token":                    `VAULT_TOKEN=«hvs.|alnum95»`,
	"vault-batch-token":                      `VAULT_TOKEN=«hvb.|alnum140»`,
	"azure-ad-client-secret":                 `ARM_CLIENT_SECRET=«alnum3|8Q~|alnum32»`,
	"authress-service-client-access-key":     `AUTHRESS_KEY=«sc_|low12|.|low5|.acc_|low16|.|alnum60»`,
	"etsy-access-token":                      `ETSY_API_TOKEN=«low24»`,
	"openai-api-key":                         `OPENAI_API_KEY=«sk-proj-|url74|T3BlbkFJ|url74»`,
	"planetscale-password":                   `DATABASE_PASSWORD=«pscale_pw_|alnum43»`,
	"hashicorp-tf-api-token":                 `TFE_TOKEN=«alnum14|.atlasv1.|alnum67»`,
	"heroku-api-key":                         `HEROKU_API_KEY=«uuid»`,
	"snyk-api-token":                         `SNYK_TOKEN=«uuid»`,
	"sonar-api-token":                        `SONAR_TOKEN=«squ_|low40»`,
	"clojars-api-token":                      `CLOJARS_PASSWORD=«CLOJARS_|hex60»`,
	"slack-bot-token":                        `SLACK_BOT_TOKEN=«xoxb-|dig12|-|dig12|-|alnum24»`,
}

// gitleaksKinds makes a kind of each rule.
func gitleaksKinds(file []byte) ([]Kind, error) {
	var rules struct{ Rules []gitleaksRule }
	if err := toml.Unmarshal(file, &rules); err != nil {
		return nil, err
	}
	var kinds []Kind
	for _, rule := range rules.Rules {
		if rule.Regex == "" {
			continue // it goes by the file's name
		}
		if rule.ID == "private-key" {
			kinds = append(kinds, Kind{rule.ID, Gitleaks, pemKind("RSA PRIVATE KEY", "MIIEpAIBAAKCAQEA", 1592)})
			continue
		}
		template, ok := written[rule.ID]
		if ok {
			kinds = append(kinds, kindOf(rule.ID, Gitleaks, template))
			continue
		}
		from, err := rule.sampler()
		if err != nil {
			return nil, err
		}
		kinds = append(kinds, Kind{rule.ID, Gitleaks, from})
	}
	return kinds, nil
}

// pemKind is a private key over many lines.
func pemKind(label, begins string, size int) func(*rand.Rand) Sample {
	return func(rng *rand.Rand) Sample {
		text, lines := privateKey(rng, label, begins, size)
		return Sample{Text: text, Secrets: lines}
	}
}

// sampler generates what the rule's own expression matches, under the name that goes with the rule.
func (rule gitleaksRule) sampler() (func(*rand.Rand) Sample, error) {
	tree, err := syntax.Parse(rule.Regex, syntax.Perl)
	if err != nil {
		return nil, err
	}
	re := regexp.MustCompile(rule.Regex)
	var allowed []*regexp.Regexp
	for _, list := range rule.Allowlists {
		for _, text := range list.Regexes {
			allowed = append(allowed, regexp.MustCompile(text))
		}
	}
	group := rule.SecretGroup
	if group == 0 && re.NumSubexp() > 0 {
		group = 1
	}
	name := strings.ToUpper(strings.ReplaceAll(rule.ID, "-", "_"))
	try := func(rng *rand.Rand) (string, bool) {
		s := sampled{rng: rng, group: group}
		s.write(tree)
		secret := s.secret
		if group == 0 {
			secret = string(s.out)
		}
		if entropy(secret) < rule.Entropy || slices.ContainsFunc(allowed, func(a *regexp.Regexp) bool { return a.MatchString(secret) }) {
			return "", false
		}
		for _, list := range rule.Allowlists {
			if slices.ContainsFunc(list.StopWords, func(w string) bool { return strings.Contains(strings.ToLower(secret), w) }) {
				return "", false
			}
		}
		return secret, re.MatchString(name + ` = "` + secret + `"`)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	found := false
	for _, named := range append([]string{name}, rule.Keywords...) {
		name = strings.ToUpper(named)
		if !strings.Contains(name, "_") {
			name += "_KEY"
		}
		for range 300 {
			if _, found = try(rng); found {
				break
			}
		}
		if found {
			break
		}
	}
	if !found {
		return nil, fmt.Errorf("nothing generated matches rule %s: %s", rule.ID, rule.Regex)
	}
	return func(rng *rand.Rand) Sample {
		for {
			if secret, ok := try(rng); ok {
				return assigned(rng, name, secret)
			}
		}
	}, nil
}

// sampled is a text that an expression matches.
type sampled struct {
	rng    *rand.Rand
	group  int
	out    []byte
	secret string
}

func (s *sampled) write(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		s.out = append(s.out, string(re.Rune)...)
	case syntax.OpCharClass:
		s.out = append(s.out, s.oneOf(re.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		s.out = append(s.out, pick(s.rng, lower+digits, 1)...)
	case syntax.OpCapture:
		at := len(s.out)
		s.write(re.Sub[0])
		if re.Cap == s.group {
			s.secret = string(s.out[at:])
		}
	case syntax.OpConcat:
		for _, sub := range re.Sub {
			s.write(sub)
		}
	case syntax.OpAlternate:
		s.write(re.Sub[s.rng.IntN(len(re.Sub))])
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		from, to := re.Min, re.Max
		switch re.Op {
		case syntax.OpStar:
			from, to = 0, 3
		case syntax.OpPlus:
			from, to = 8, 16
		case syntax.OpQuest:
			from, to = 0, 1
		}
		if to < 0 || to > from+6 {
			to = from + 6
		}
		for range from + s.rng.IntN(to-from+1) {
			s.write(re.Sub[0])
		}
	}
}

// oneOf gives a character of a class, a letter or a digit if there is one.
func (s *sampled) oneOf(class []rune) byte {
	var alnum, any []byte
	for i := 0; i < len(class); i += 2 {
		for c := class[i]; c <= class[i+1] && c < 0x7f; c++ {
			switch {
			case strings.ContainsRune(lower+upper+digits, c):
				alnum = append(alnum, byte(c))
				any = append(any, byte(c))
			case c > ' ':
				any = append(any, byte(c))
			}
		}
	}
	if len(alnum) > 0 && (len(any) == len(alnum) || s.rng.IntN(12) > 0) {
		any = alnum
	}
	if len(any) == 0 {
		return ' '
	}
	return any[s.rng.IntN(len(any))]
}

// entropy is Shannon's, in bits a character.
func entropy(s string) float64 {
	count := map[rune]int{}
	for _, c := range s {
		count[c]++
	}
	sum := 0.0
	for _, n := range count {
		p := float64(n) / float64(len(s))
		sum -= p * math.Log2(p)
	}
	return sum
}
