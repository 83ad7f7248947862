my (%s, @order, $at);
while (<STDIN>) {
  s/^\s+|\s+$//g;
  next if /^[;#]/ || $_ eq '';
  if (/^\[(.*)\]$/) { $at = $1; push @order, $at; next }
  my ($k, $v) = /^([^=]*?)\s*=\s*(.*)$/;
  $s{$at}{$k} = $v;
}
sub t { my $x = shift; $x =~ s/([\\"])/\\$1/g; qq("$x") }
print '{', join(',', map { my $h = $s{$_}; t($_) . ':{' . join(',', map { t($_) . ':' . t($h->{$_}) } sort keys %$h) . '}' } @order), "}\n";
