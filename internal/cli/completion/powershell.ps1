# entire-plumb completion for PowerShell: entire-plumb completion powershell | Out-String | Invoke-Expression

Register-ArgumentCompleter -Native -CommandName entire-plumb, git-entire-plumb -ScriptBlock {
    param($current, $call, $position)
    # The words before the one that is typed, without their quotes.
    $words = @($call.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $position -or ($_.Extent.EndOffset -eq $position -and $current -eq '') } |
        ForEach-Object { if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $_.Value } else { $_.Extent.Text } })
    # Before 7.3 PowerShell drops an empty argument of a program.
    $last = if ($current -eq '' -and $PSVersionTable.PSVersion -lt [version]'7.3') { '""' } else { $current }
    & $call.CommandElements[0].Extent.Text complete -- @words $last 2>$null | ForEach-Object {
        $value, $about = $_ -split "`t", 2
        if ($value -eq ':files') {
            $option, $start = if ($current -match '^(--[^=]*=)(.*)$') { $Matches[1], $Matches[2] } else { '', $current }
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($start) | ForEach-Object {
                [System.Management.Automation.CompletionResult]::new($option + $_.CompletionText, $_.ListItemText, $_.ResultType, $_.ToolTip)
            }
        } else {
            $typed = if ($value -match '^[a-zA-Z0-9_./=:%+^-]+$') { $value } else { "'" + $value.Replace("'", "''") + "'" }
            $shown = if ($about) { $about } else { $value }
            [System.Management.Automation.CompletionResult]::new($typed, $value, 'ParameterValue', $shown)
        }
    }
}
