{{- define "quintain.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- /* labels of all objects; give it a dict of root and part */ -}}
{{- define "quintain.labels" -}}
{{ include "quintain.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "quintain.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "quintain.image" -}}
{{ .Values.image.repository }}{{ if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}

{{- define "quintain.keys" -}}
{{ .Values.keys.existing | default (printf "%s-keys" (include "quintain.name" .)) }}
{{- end }}

{{- define "quintain.pod" -}}
automountServiceAccountToken: false
{{- with .Values.serviceAccountName }}
serviceAccountName: {{ . }}
{{- end }}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile:
    type: RuntimeDefault
{{- end }}

{{- /* where the pods of a part go, and before whom; give it a dict of root, part and values. A constraint without a selector is for the part's pods. */ -}}
{{- define "quintain.placement" -}}
{{- with .values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- if .values.topologySpreadConstraints }}
{{- $own := dict "labelSelector" (dict "matchLabels" (include "quintain.selector" . | fromYaml)) }}
topologySpreadConstraints:
{{- range .values.topologySpreadConstraints }}
  {{- list (merge (dict) . $own) | toYaml | nindent 2 }}
{{- end }}
{{- end }}
{{- end }}

{{- define "quintain.container" -}}
image: {{ include "quintain.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- /* annotations that change with what a process reads only at its start */ -}}
{{- define "quintain.checksums" -}}
checksum/settings: {{ toYaml .Values.settings | sha256sum }}
checksum/keys: {{ omit .Values.keys "existing" | toJson | sha256sum }}
{{- end }}
