{{- define "cairn.name" -}}
{{- printf "%s-%s" (.root.Release.Name | trunc 40 | trimSuffix "-") .part -}}
{{- end }}

{{- define "cairn.selector" -}}
app.kubernetes.io/name: cairn
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "cairn.labels" -}}
{{ include "cairn.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "cairn.domain" -}}
{{- required "Set domain, the domain of the network" .Values.domain -}}
{{- end }}

{{/* Text of a setting. YAML reads large numbers as 1e+06, and an unquoted on as true. */}}
{{- define "cairn.setting" -}}
{{- if kindIs "bool" . -}}
{{- ternary "on" "off" . -}}
{{- else if kindIs "float64" . -}}
{{- ternary (printf "%.0f" .) (toString .) (eq (floor .) .) -}}
{{- else -}}
{{- toString . -}}
{{- end -}}
{{- end }}

{{/*
Environment of a service: its own settings, those of every service, those of the values, and the files of its Secret. An empty
text in the values has a meaning of its own, such as no limit; null leaves the default of the service.
*/}}
{{- define "cairn.environment" -}}
{{- $settings := dict "CAIRN_TRUSTED_PROXIES" (join "," .root.Values.trustedProxies) "CAIRN_NETWORK_NAME" (include "cairn.domain" .root) -}}
{{- if eq .part "provider" }}{{ $settings = omit $settings "CAIRN_NETWORK_NAME" }}{{ end -}}
{{- if .root.Values.metrics.enabled }}{{ $settings = set $settings "CAIRN_METRICS_HOST" "0.0.0.0" }}{{ end -}}
{{- if .root.Values.traces.url -}}
{{- $settings = merge (dict "CAIRN_TRACES_URL" .root.Values.traces.url "CAIRN_TRACES_PERCENT" (toString .root.Values.traces.percent)) $settings -}}
{{- end -}}
{{- $given := dict -}}
{{- range $name, $value := mergeOverwrite $settings .own }}
{{- if ne (toString $value) "" }}{{ $_ := set $given $name $value }}{{ end -}}
{{- end -}}
{{- range $name, $value := .values.settings }}
{{- if kindIs "invalid" $value }}{{ $_ := unset $given $name }}{{ else }}{{ $_ := set $given $name $value }}{{ end -}}
{{- end -}}
{{- range $name, $value := $given }}
- name: {{ $name }}
  value: {{ include "cairn.setting" $value | quote }}
{{- end }}
{{- with .values.secret }}
{{- range $name, $key := .files }}
- name: {{ $name }}_FILE
  value: /run/secrets/cairn/{{ $key }}
{{- end }}
{{- end }}
{{- end }}

{{/* What all pods have in common: no rights, a root that cannot be written, probes, and time to end. */}}
{{- define "cairn.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
terminationGracePeriodSeconds: 90
{{- with .values.affinity }}
affinity: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector: {{ toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations: {{ toYaml . | nindent 2 }}
{{- end }}
containers:
  - name: {{ .image | default .part }}
    image: "{{ .root.Values.image.repository }}-{{ .image | default .part }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}"
    imagePullPolicy: {{ .root.Values.image.pullPolicy }}
    securityContext:
      allowPrivilegeEscalation: false
      readOnlyRootFilesystem: true
      capabilities: { drop: [ALL] }
    env:
      {{- include "cairn.environment" . | trim | nindent 6 }}
    ports:
      {{- range $name, $port := .ports }}
      - { name: {{ $name }}, containerPort: {{ $port }} }
      {{- end }}
      {{- if .root.Values.metrics.enabled }}
      - { name: metrics, containerPort: {{ add .ports.api 100 }} }
      {{- end }}
    # Opening and checking a large store takes time; only then does liveness count.
    startupProbe:
      httpGet: { path: /healthz, port: api }
      periodSeconds: 5
      failureThreshold: 360
    livenessProbe:
      httpGet: { path: /healthz, port: api }
      periodSeconds: 10
      timeoutSeconds: 5
      failureThreshold: 6
    readinessProbe:
      httpGet: { path: {{ .readyPath | default "/readyz" | quote }}, port: api }
      periodSeconds: 5
      timeoutSeconds: 5
      failureThreshold: 2
    resources: {{ toYaml .values.resources | nindent 6 }}
    volumeMounts:
      - { name: tmp, mountPath: /tmp }
      {{- if .home }}
      - { name: home, mountPath: /data }
      {{- end }}
      {{- if .values.secret }}
      - { name: secrets, mountPath: /run/secrets/cairn, readOnly: true }
      {{- end }}
volumes:
  - { name: tmp, emptyDir: { sizeLimit: 1Gi } }
  {{- if eq (toString .home) "emptyDir" }}
  - { name: home, emptyDir: { sizeLimit: {{ .values.home.size }} } }
  {{- end }}
  {{- if .values.secret }}
  - { name: secrets, secret: { secretName: {{ .values.secret.name }}, defaultMode: 0440 } }
  {{- end }}
{{- end }}

{{/* The disk of a pod of a StatefulSet. It stays when the release is removed. */}}
{{- define "cairn.claim" -}}
persistentVolumeClaimRetentionPolicy: { whenDeleted: Retain, whenScaled: Retain }
volumeClaimTemplates:
  - metadata: { name: home }
    spec:
      accessModes: [ReadWriteOnce]
      {{- with .values.home.storageClass }}
      storageClassName: {{ . }}
      {{- end }}
      resources: { requests: { storage: {{ .values.home.size }} } }
{{- end }}

{{/* A Service for the ports of a part. */}}
{{- define "cairn.service" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ include "cairn.name" . }}
  labels: {{ include "cairn.labels" . | nindent 4 }}
spec:
  {{- if .headless }}
  clusterIP: None
  {{- end }}
  selector: {{ include "cairn.selector" . | nindent 4 }}
  ports:
    {{- range $name, $port := .ports }}
    - { name: {{ $name }}, port: {{ $port }}, targetPort: {{ $name }} }
    {{- end }}
{{- end }}
